/** Looks of the chart. Colours of Okabe and Ito, which people who see few colours can tell apart; lines differ in their dashes too. */

import { FONT } from '../../emulator/media/drawSvg';

export const BLUE = '#0072B2';
export const ORANGE = '#E69F00';
export const GREEN = '#009E73';
export const VERMILION = '#D55E00';
export const PURPLE = '#CC79A7';
export const GREY = '#767676';

export const CONFIG = {
	background: 'white',
	padding: 20,
	font: FONT,
	title: {
		fontSize: 14,
		anchor: 'start',
		frame: 'group',
		subtitleFontSize: 11,
		subtitleColor: GREY,
		offset: 12,
	},
	axis: {
		labelFontSize: 11,
		labelLimit: 260,
		titleFontSize: 11,
		titleFontWeight: 'normal',
		gridColor: '#e6e6e6',
	},
	legend: { labelFontSize: 11, symbolSize: 500, symbolStrokeWidth: 2, labelLimit: 300 },
	view: { stroke: null },
	concat: { spacing: 48 },
};
