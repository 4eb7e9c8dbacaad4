/**
 * Who can remove a fault: the developer of the app, the operator of the server, the user, or whoever runs the network between
 * them. `server`: the server or its store failed. `none`: there is no fault.
 */
export type Party = 'app' | 'operator' | 'user' | 'network' | 'server' | 'none'

/** What to say about a cause. Plain text; names of parameters and settings stand in backticks. */
export interface VerdictText {
  readonly by: Party
  /** What happened, in one sentence for the operator. */
  readonly sentence: string
  /** What the operator can do. */
  readonly fix: string
  /** Words to send to the developer of the app. They say nothing of the inside of the server. */
  readonly toDeveloper: string
  /** The check of the doctor that shows the fault from outside. */
  readonly doctorCheck?: string
}

/** Verdicts by the reason of the error, or by the name of the finding. */
export type VerdictTexts = Readonly<Record<string, VerdictText>>

export const DEVELOPER_ONLY =
  'Only the developer of the app can correct this: send the words for the developer.'
export const NOTHING_TO_FIX = 'Nothing needs to change here.'
