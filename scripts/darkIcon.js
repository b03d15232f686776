// Every color of icons/segmind.svg and what stands for it on a dark background.
const DARK_COLORS = {
	'#262b4d': '#e7e9f7',
	'#5a55d6': '#9c98ff',
	'#ef6a35': '#ff9468',
};

/**
 * The dark icon drawn from the light one: the same shapes, each color swapped.
 * Takes and returns the SVG's text; throws on a color the table lacks, since it would stay as it is.
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
