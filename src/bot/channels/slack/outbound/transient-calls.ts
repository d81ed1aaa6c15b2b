// Signs beside the messages: worth something now or not at all, and never made where the platform said to wait.
import type { Courier } from '../../../delivery/index.js';
import type { ReactedTo, SlackCarrier } from './carrier.js';

export interface SlackAsides {
  /** The sign by which people see that their message was heard, or its end. False: nothing was done. */
  react(at: ReactedTo, isOn: boolean): Promise<boolean>;
}

const heardSign = 'eyes';
/** The platform counts these by no channel, and each of the two by itself. */
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
