export { localPerson, memberRole, nameInConfig, type Permit, permit, personWith, roleOf, type Who } from './access.js';
export {
  addExecutor,
  addProject,
  listMembers,
  type Member,
  type NewExecutor,
  type NewProject,
  removeMember,
  setMember,
  setPerson,
} from './additions.js';
export { agentsHere } from './agents.js';

export { isBelow, isInHome, outsideOfHome } from './closed.js';
export * from './config.js';
export { diskMark, drawnDiskMark } from './disk-mark.js';
export { editConfig, mapAt } from './edit-config.js';
export { type Home, homeFolder, openHome } from './home.js';
export { ensureAi, type InitRequest, initProject, nameOfFolder, requireFreeNames } from './init-project.js';
export type { Environment } from './interpolate.js';
export { keepText, keptText } from './kept-text.js';
export { type Acquired, acquireLock, type Lock, type LockHolder, type LockInfo, readLock } from './lock.js';
export { isLoopback } from './loopback.js';

export {
  type Account,
  type Approval,
  type Approved,
  approveKnock,
  type Invitation,
  invite,
  type Knock,
  type KnockAnswer,
  knock,
  knocks,
  newPersonName,
  type Stranger,
} from './pairing.js';
export { isCodeShaped } from './pairing-code.js';
export { type PresentConfig, presentConfig } from './present-config.js';

export { type ConfigReading, checkConfig, loadConfig } from './read-config.js';
export { redisAddress } from './redis-address.js';
export { type Action, leastRoleFor, mayDo } from './rights.js';
export { ability } from './schema.js';
export { type ConfigWatch, type WatchRequest, watchConfig } from './watch-config.js';
