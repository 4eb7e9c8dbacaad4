import { fileURLToPath } from 'node:url'
import { type Config, ConfigError, parseConfig, type ServerConfig } from '@grantkit/server'
import { BRAND } from './brand.ts'
import { FRAMEWORKS } from './frameworks/frameworks.ts'
import { SCOPES } from './oauth/scopes.ts'

/** What the school configures itself. Its operator sets environment variables for everything else. */
const SCHOOL: ServerConfig = {
  brand: { ...BRAND, footer: [{ text: 'A demonstration service of Grantkit', href: '/' }] },
  documentation: '/auth.md',
  scopes: SCOPES,
  resources: { '/mcp': {} },
}

/** The root of the repository, where development keeps its files. */
const FOLDER = fileURLToPath(new URL('../../..', import.meta.url))

type Framework = keyof typeof FRAMEWORKS

export interface SchoolConfig extends Config {
  readonly framework: Framework
  /** Whether an item of the API is removed only by a user who has just signed in with a passkey (RFC 9470). */
  readonly passkeyToRemove: boolean
}

/** The configuration of the school in this environment. @throws ConfigError with all problems */
export function schoolConfig(environment: NodeJS.ProcessEnv): SchoolConfig {
  const framework = environment.FRAMEWORK || 'fastify'
  const passkeyToRemove = environment.PASSKEY_TO_REMOVE || 'off'
  const problems = [
    ...(isFramework(framework) ? [] : [`FRAMEWORK must be fastify, express or hono, not "${framework}"`]),
    ...problemsOfRemoval(passkeyToRemove, environment),
  ]
  try {
    const config = parseConfig({ config: SCHOOL, environment, folder: FOLDER })
    if (problems.length === 0 && isFramework(framework))
      return { ...config, framework, passkeyToRemove: passkeyToRemove === 'on' }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    problems.push(...error.problems)
  }
  throw new ConfigError(problems)
}

function problemsOfRemoval(passkeyToRemove: string, { STEP_UP }: NodeJS.ProcessEnv): string[] {
  if (passkeyToRemove === 'off') return []
  if (passkeyToRemove !== 'on') return [`PASSKEY_TO_REMOVE must be on or off, not "${passkeyToRemove}"`]
  return STEP_UP === 'on'
    ? []
    : ['PASSKEY_TO_REMOVE needs STEP_UP=on: without it no token says how its user signed in']
}

function isFramework(name: string): name is Framework {
  return Object.hasOwn(FRAMEWORKS, name)
}
