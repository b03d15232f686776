import { everyPath, type Routes } from '../routing';
import type { Service } from '../service';

/** Serves a foreign origin, which accepts everything and responds like the service, to find clients that trust it. */
export function hostileRoutes(service: Service): Routes {
	return everyPath('hostile', (_request, response) => {
		const bait = `${service.urls.hostile}/bait.png`;
		response.json({
			status: 'COMPLETED',
			request_id: '00000000000000000000000000000000',
			output: bait,
			images: [{ url: bait, content_type: 'image/png', file_size: '1' }],
			urls: [bait],
			credits: 1000000,
			error: null,
			metrics: {},
		});
	});
}
