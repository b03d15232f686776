/** The dark icon's SVG drawn from the light one's. */
export function darkIcon(lightSvg: string): string;
