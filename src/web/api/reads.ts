import type { ProjectConfig } from '../../config/index.js';
import { type ProjectStatus, projectStatus } from '../../dispatch/index.js';
import type { Site } from '../context/web-context.js';

/** With what attempts at work have just told. */
export function statusNow({ desk, now }: Pick<Site, 'desk' | 'now'>, project: ProjectConfig): ProjectStatus {
  return projectStatus(desk.room.store, project, now(), desk.room);
}
