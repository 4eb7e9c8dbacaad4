import type { AccountDirectory } from '../accounts/account-directory.ts'
import { type AuthenticationClass, classOf } from '../config/authentication-classes.ts'
import type { PasskeyRows } from '../passkeys/passkey-rows.ts'
import type { Visit } from './session.ts'

/**
 * How strongly an admin must sign in to change something: a password that was stolen must not be enough where the admin has a
 * passkey. @throws OAuthError `temporarily_unavailable`
 */
export interface AdminSignIns {
  /** Whether this sign-in is strong enough for changes on the admin pages, and for grants of the admin API. */
  isStrong(visit: Visit): Promise<boolean>
  /** Whether it may change how the user signs in: otherwise a thief would remove the passkey of an admin, or add one. */
  mayChangeSignIn(visit: Visit): Promise<boolean>
}

interface Parts {
  readonly passkeys: Pick<PasskeyRows, 'list'>
  readonly directory: Pick<AccountDirectory, 'isAdmin'>
  /** The configured class. Default: `phr` for an account with a passkey. */
  readonly acr: AuthenticationClass | undefined
}

export function adminSignIns({ passkeys, directory, acr }: Parts): AdminSignIns {
  const hasPasskey = async ({ account: { id } }: Visit) => (await passkeys.list(id)).length > 0
  const isByPasskey = ({ session }: Visit) => classOf(session.acr) === 'phr'
  return {
    async isStrong(visit) {
      if (acr === 'pwd' || isByPasskey(visit)) return true
      return acr === undefined && !(await hasPasskey(visit))
    },
    async mayChangeSignIn(visit) {
      if (acr === 'pwd' || isByPasskey(visit) || !(await hasPasskey(visit))) return true
      return !(await directory.isAdmin(visit.account.id))
    },
  }
}
