import { browserSteps, stepsOfModules } from './browser-steps.ts'
import type { SuiteClient } from './clients.ts'
import type { Addresses, InstallationName } from './installations.ts'

/** A plan of the suite, and its configuration. */
export interface Plan {
  /** Its name in docs/openid-suite.json, and of its configuration file. */
  readonly id: string
  readonly installation: InstallationName
  /** As the suite's runner names it: the plan and its variants. */
  readonly plan: string
  /** What of the configuration is of this plan alone. */
  readonly config: (clients: Clients, addresses: Addresses) => object
}

type Clients = Readonly<Record<string, SuiteClient>>

const STATIC = '[client_registration=static_client]'
const FAPI = 'fapi2-security-profile-final-test-plan[client_auth_type=private_key_jwt][sender_constrain=dpop]'
const RS256 = 'fapi2-security-profile-final-ensure-signed-client-assertion-with-RS256-fails'

const USERS = ['client', 'client2', 'rsa'] as const
const SERVICES = ['service', 'service2', 'service_rsa'] as const

export const PLANS: readonly Plan[] = [
  openid('config', 'oidcc-config-certification-test-plan'),
  openid('basic', `oidcc-basic-certification-test-plan[server_metadata=discovery]${STATIC}`),
  openid(
    'form-post-basic',
    `oidcc-formpost-basic-certification-test-plan[server_metadata=discovery]${STATIC}`,
  ),
  openid('logout', `oidcc-rp-initiated-logout-certification-test-plan[response_type=code]${STATIC}`),
  openid(
    'back-channel-logout',
    `oidcc-backchannel-rp-initiated-logout-certification-test-plan[response_type=code]${STATIC}`,
    'back_channel',
  ),
  fapi('fapi2-oauth', '[fapi_profile=plain_fapi][openid=plain_oauth]', 'profile courses:read'),
  fapi('fapi2-openid', '[fapi_profile=plain_fapi][openid=openid_connect]', 'openid profile courses:read'),
  fapi(
    'fapi2-client-credentials',
    '[fapi_profile=fapi_client_credentials_grant][openid=plain_oauth]',
    'courses:read',
    SERVICES,
  ),
]

/** @returns the whole configuration of a plan, in the words of the suite */
export function configurationOf(plan: Plan, clients: Clients, addresses: Addresses): object {
  const { override = {}, ...more } = plan.config(clients, addresses) as { override?: object }
  return {
    alias: addresses.alias,
    // The exported results have it, so it says which plan they are of.
    description: plan.id,
    server: { discoveryUrl: `${addresses.issuer}/.well-known/openid-configuration` },
    browser: browserSteps(addresses),
    // Our pages need no style to be operated.
    options: { browsercontrol_css_enable: false },
    ...more,
    override: { ...stepsOfModules(addresses), ...override },
  }
}

function openid(id: string, plan: string, first = 'client'): Plan {
  return {
    id,
    installation: 'openid',
    plan,
    config: (clients) => ({
      client: clients[first],
      client2: clients.client2,
      client_secret_post: clients.client_secret_post,
    }),
  }
}

function fapi(id: string, variants: string, scope: string, [one, two, rsa]: readonly string[] = USERS): Plan {
  return {
    id,
    installation: 'fapi2',
    plan: FAPI + variants,
    config: (clients, { gateway }) => {
      const client = (name = '') => ({ ...clients[name], scope })
      return {
        client: client(one),
        client2: client(two),
        resource: { resourceUrl: `${gateway}/resource` },
        override: { [RS256]: { client: client(rsa) } },
      }
    },
  }
}
