export { agentsHere } from './agents-here.js';
export {
  type ChannelConfigKind,
  channelTitle,
  type KnownChats,
  type PlatformId,
  type ThreadIds,
  type TopicRules,
} from './channel-kinds.js';
export { type CheckoutSettings, checkoutSettings, muteExecutor } from './checkout-settings.js';
export * from './config.js';
export {
  type ChatConfig,
  type Config,
  executorsOf,
  type PersonConfig,
  type ProjectConfig,
  projectNamed,
  projectWithName,
  type Role,
} from './config.js';
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
} from './file/additions.js';
export { editConfig, mapAt } from './file/edit-config.js';
export type { Environment } from './file/interpolate.js';
export { isLoopback } from './file/loopback.js';
export { type PresentConfig, presentConfig } from './file/present-config.js';
export { type ConfigReading, checkConfig, loadConfig } from './file/read-config.js';
export { redisAddress } from './file/redis-address.js';
export { ability } from './file/schema.js';
export * as configKeys from './file/schema-parts.js';
export { oneOf } from './file/schema-parts.js';
export { type ConfigWatch, type WatchRequest, watchConfig } from './file/watch-config.js';
export { isBelow, outsideOfHome } from './home/closed.js';
export { diskMark, drawnDiskMark } from './home/disk-mark.js';
export { type Home, type HomeOfConfig, homeFolder, openHome } from './home/home.js';
export { type Acquired, acquireLock, type Lock, type LockHolder, type LockInfo, readLock } from './home/lock.js';
export { keepText, keptText } from './home/small-files.js';
export { ensureAi, type InitRequest, initProject, nameOfFolder, requireFreeNames } from './init-project.js';
export {
  homeOwner,
  localPerson,
  localSource,
  memberRole,
  nameInConfig,
  type Permit,
  pageSource,
  permit,
  personWith,
  roleOf,
  type Surface,
  type Who,
} from './people/access.js';
export {
  type Account,
  type Approval,
  type Approved,
  approveKnock,
  type Invitation,
  invite,
  isCodeShaped,
  type Knock,
  type KnockAnswer,
  knock,
  knocks,
  newPersonName,
  type Stranger,
} from './people/pairing.js';
export {
  type Action,
  leastRoleFor,
  mayDo,
  requiredAction,
  requiredActionFor,
  requiredToSkip,
} from './people/rights.js';
export { acceptRules } from './project-rules/accepted.js';
export { changedNames, type ProjectRules, projectRules, rulesDiff } from './project-rules/pending.js';
export { acceptedMarks, type RuleMarks, ruleMarks, touchedRules } from './project-rules/touched.js';
export { homeRedaction, type Redaction } from './secrets/home-redaction.js';
export { secretsOfExecutor } from './secrets/secret-values.js';
export {
  checkStepRules,
  checkWorkflow,
  findWorkflow,
  listWorkflows,
  type Snapshot,
  takeSnapshot,
  type Where,
} from './workflow-files.js';
