/** Makes the SVG of the dark icon from the light one's. */
export function darkIcon(lightSvg: string): string;
