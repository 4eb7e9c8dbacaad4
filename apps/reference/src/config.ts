import { fileURLToPath } from 'node:url'
import { type Config, ConfigError, parseConfig, type ServerConfig } from '@grantkit/server'
import { FRAMEWORKS } from './frameworks/frameworks.ts'
import { SCOPES } from './oauth/scopes.ts'

/** What the school configures itself. Its operator sets environment variables for everything else. */
const SCHOOL: ServerConfig = {
  brand: {
    name: 'Harbour School',
    logo: new URL('home/icon.svg', import.meta.url),
    accent: '#0f5e59',
    footer: [{ text: 'A demonstration service of Grantkit', href: '/' }],
  },
  documentation: '/auth.md',
  scopes: SCOPES,
  resources: { '/mcp': {} },
}

/** The root of the repository, where development keeps its files. */
const FOLDER = fileURLToPath(new URL('../../..', import.meta.url))

type Framework = keyof typeof FRAMEWORKS

export interface SchoolConfig extends Config {
  readonly framework: Framework
}

/** The configuration of the school in this environment. @throws ConfigError with all problems */
export function schoolConfig(environment: NodeJS.ProcessEnv): SchoolConfig {
  const framework = environment.FRAMEWORK || 'fastify'
  const problems = isFramework(framework)
    ? []
    : [`FRAMEWORK must be fastify, express or hono, not "${framework}"`]
  try {
    const config = parseConfig({ config: SCHOOL, environment, folder: FOLDER })
    if (isFramework(framework)) return { ...config, framework }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    problems.push(...error.problems)
  }
  throw new ConfigError(problems)
}

function isFramework(name: string): name is Framework {
  return Object.hasOwn(FRAMEWORKS, name)
}
