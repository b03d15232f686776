/** Makes the SVG of the dark icon from that of the light icon. */
export function darkIcon(lightSvg: string): string;
