import type { ConsentScope, Session } from '../authorization/interaction.ts'
import type { PublicClient } from '../clients/client-record.ts'
import type { HttpResponse } from '../http/http.ts'

/** The page on which a person types the code that a device shows. */
export interface UserCodeView {
  readonly session: Session
  /** The form: POST to `action` with `ticket` and `user_code`. */
  readonly action: string
  readonly ticket: string
  /** Fills in the field: what was typed, or the code of a link. Anybody can have sent that link. */
  readonly typed: string
  /** The last code was not valid, whatever the reason. */
  readonly wrong: boolean
}

/**
 * The page on which a person decides. Whoever sends a code to somebody else gets what that person allows, so this page
 * must make them see it: show all of this, and put "Deny" first (BCP 247 6.1).
 */
export interface DeviceView {
  readonly session: Session
  readonly client: PublicClient
  /** The code, for comparison with the one on the device. */
  readonly userCode: string
  /** Since the device began, in seconds. */
  readonly age: number
  /** Whether the device began in the network of this browser; absent if an address is not known. */
  readonly sameNetwork?: boolean | undefined
  readonly scopes: readonly ConsentScope[]
  readonly resources: readonly string[]
  /**
   * The form: POST to `action` with `ticket`, `decision` (`allow`, `deny`, or `allow_reading`: no ticked scope whose
   * `access` is `write`) and one `scope` for each ticked scope.
   */
  readonly action: string
  readonly ticket: string
}

/** The application's part of the device grant: three pages. */
export interface DeviceInteraction {
  userCodePage(view: UserCodeView): HttpResponse | Promise<HttpResponse>
  devicePage(view: DeviceView): HttpResponse | Promise<HttpResponse>
  /** The user has answered and goes back to the device. */
  deviceAnsweredPage(view: DeviceAnsweredView): HttpResponse | Promise<HttpResponse>
}

export interface DeviceAnsweredView {
  readonly client: PublicClient
  readonly allowed: boolean
}
