// Reactions go at once or never: late ones are worthless.
import type { Courier } from '../../../delivery/index.js';
import type { ReactedTo, SlackCarrier } from './carrier.js';

export interface SlackAsides {
  react(at: ReactedTo, isOn: boolean): Promise<boolean>;
}

const heardSign = 'eyes';
/** Slack limits these methods across all channels. */
const lanes = { add: 'reactions.add', remove: 'reactions.remove' } as const;

export function slackAsides(courier: Courier, carrier: SlackCarrier): SlackAsides {
  return {
    react: (at, isOn) =>
      courier.aside(
        isOn ? lanes.add : lanes.remove,
        (_lane, signal) => carrier.react(at, heardSign, isOn, signal),
        false,
      ),
  };
}
