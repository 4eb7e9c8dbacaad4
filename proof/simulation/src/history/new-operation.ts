import type { Operation } from '@grantkit/torture'

/** `forgotten`: the app did not see the answer. */
export interface NewOperation extends Omit<Operation, 'id' | 'forgotten'> {
  readonly forgotten?: true | undefined
}
