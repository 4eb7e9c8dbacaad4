import { existsSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseEnv } from 'node:util'
import { type Config, parseConfig } from './config.ts'
import type { ServerConfig } from './schema.ts'
import { ConfigError, parseJsonFile, readTextFileSync } from './text-file.ts'

export interface ReadOptions {
  /** The configuration file. Default: `grantkit.config.ts`, `.js`, `.mjs` or `.json` in the working directory, if there is one. */
  readonly file?: string | undefined
  /** Gets the variables of `.env` that it does not have. Default: the one of the process. */
  readonly environment?: Record<string, string | undefined> | undefined
}

/** A configuration with the file that it comes from. */
export interface FoundConfig {
  readonly config: Config
  readonly file?: string | undefined
}

const NAME = 'grantkit.config'
const EXTENSIONS = ['.ts', '.js', '.mjs', '.json']

/**
 * The configuration of a file and of the environment, to which the file `.env` next to it adds what is not set.
 *
 * @throws ConfigError with all problems
 */
export async function readConfig(options: ReadOptions = {}): Promise<FoundConfig> {
  const { environment = process.env } = options
  const file = fileOf(options.file)
  const folder = file === undefined ? process.cwd() : dirname(file)
  // First, because the file may read the environment too.
  addVariables(environment, join(folder, '.env'))
  const config = file === undefined ? {} : await contentOf(file)
  return { file, config: parseConfig({ config, environment, folder, file }) }
}

function fileOf(named: string | undefined): string | undefined {
  if (named === undefined) return EXTENSIONS.map((extension) => resolve(NAME + extension)).find(existsSync)
  const path = resolve(named)
  if (!existsSync(path)) throw new ConfigError([`there is no file ${path}`])
  if (!EXTENSIONS.includes(extname(path)))
    throw new ConfigError([`${path} must end with ${EXTENSIONS.join(', ')}`])
  return path
}

function addVariables(environment: Record<string, string | undefined>, file: string): void {
  if (!existsSync(file)) return
  for (const [name, value] of Object.entries(parseEnv(textOf(file))))
    if (!environment[name]) environment[name] = value
}

function textOf(file: string): string {
  try {
    return readTextFileSync(file)
  } catch (error) {
    throw new ConfigError([(error as Error).message])
  }
}

async function contentOf(file: string): Promise<ServerConfig> {
  try {
    const written = await imported(file)
    return await (typeof written === 'function' ? written() : written)
  } catch (error) {
    const { message } = error as Error
    // `npm init -y` writes the type "commonjs".
    const advice = message.includes("token 'export'") ? ': run `npm pkg set type=module` in its folder' : ''
    throw new ConfigError([`it cannot be read: ${message}${advice}`], file)
  }
}

async function imported(file: string): Promise<unknown> {
  if (file.endsWith('.json')) return parseJsonFile(file, readTextFileSync(file))
  const { default: written } = (await import(pathToFileURL(file).href)) as { default?: unknown }
  if (written === undefined) throw new Error('it has no default export')
  return written
}
