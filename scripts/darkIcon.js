// Every color of icons/segmind.svg, and its replacement on a dark background.
const DARK_COLORS = {
	'#262b4d': '#e7e9f7',
	'#5a55d6': '#9c98ff',
	'#ef6a35': '#ff9468',
};

/**
 * Makes the SVG of the dark icon from that of the light icon by replacing each color.
 * @throws Error for a color that the table doesn't have, because the color would stay unchanged
 */
function darkIcon(lightSvg) {
	return lightSvg.replace(/#[0-9a-f]{3,8}\b/gi, (color) => {
		const dark = DARK_COLORS[color.toLowerCase()];
		if (dark === undefined) {
			throw new Error(`scripts/darkIcon.js has no dark color for ${color} of the light icon`);
		}
		return dark;
	});
}

module.exports = { darkIcon };
