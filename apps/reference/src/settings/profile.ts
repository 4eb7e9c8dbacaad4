/** The settings that a profile determines. */

/** The settings of the FAPI 2.0 Security Profile, each with its section. */
const FAPI2 = {
  CLIENT_AUTHENTICATION: { value: ['private_key_jwt'], section: '5.3.2.1, item 6' },
  REGISTRATION: { value: 'off', section: '5.3.2.1, item 3' },
  CIMD: { value: 'off', section: '5.3.2.1, item 3' },
  DPOP: { value: 'required', section: '5.3.2.1, item 4' },
  PAR: { value: 'required', section: '5.3.2.2, item 3' },
} as const

const DECIDED = Object.entries(FAPI2)
/** In seconds. */
const MAX_CODE_LIFETIME = 60

interface Decided {
  readonly PROFILE?: 'fapi2' | undefined
  readonly CODE_LIFETIME: number
}

/** The settings with the values of their profile. */
export function withProfile<Given extends Decided>(settings: Given): Given {
  if (settings.PROFILE === undefined) return settings
  return { ...settings, ...Object.fromEntries(DECIDED.map(([name, { value }]) => [name, value])) }
}

/** The environment variables that contradict the profile. */
export function contradictions(
  { PROFILE, CODE_LIFETIME }: Decided,
  environment: NodeJS.ProcessEnv,
): string[] {
  if (PROFILE === undefined) return []
  const others = DECIDED.filter(([name, { value }]) => (environment[name] ?? String(value)) !== String(value))
  return [
    ...others.map(([name, { value, section }]) => problem(name, `${value} or left out`, section)),
    ...(CODE_LIFETIME > MAX_CODE_LIFETIME
      ? [problem('CODE_LIFETIME', `at most ${MAX_CODE_LIFETIME}`, '5.3.2.1, item 11')]
      : []),
  ]
}

function problem(name: string, must: string, section: string): string {
  return `${name} must be ${must} with PROFILE=fapi2 (FAPI 2.0 Security Profile ${section})`
}
