/** The ways in which a project of TypeScript compiles, and a project for each that installed the tarballs. */
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fencedBlocks } from '../../docs/test/code-blocks.ts'
import { createConsumer } from './consumer.ts'
import { type Packed, ROOT, run } from './publishable.ts'

export const TYPESCRIPT = ['5.8', '5.9', '6', '7']

/** ts-jest loads the package `typescript`, and needs an API that version 7 does not have. */
const TYPESCRIPT_OF_JEST = '^6.0.0'

/** The oldest Node that the packages support. */
const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const MINIMUM_NODE = `${engines.node.replace('>=', '')}.0`

type PackageType = 'module' | 'commonjs'

export interface ModuleSystem {
  type: PackageType
  options: Readonly<{ module: string; skipLibCheck?: boolean }>
  /** The TypeScript that brought it, where that is not the oldest. */
  since?: string
}

/** attw checks the other ways of ES modules. Declarations take most of the time, so each TypeScript checks them in one system. */
export const MODULE_SYSTEMS: Readonly<Record<string, ModuleSystem>> = {
  'ES modules, nodenext': { type: 'module', options: { module: 'nodenext' } },
  'CommonJS, nodenext': { type: 'commonjs', options: { module: 'nodenext', skipLibCheck: false } },
  'CommonJS, node20': { type: 'commonjs', options: { module: 'node20' }, since: '5.9' },
}

/** Installs the tarballs with every TypeScript, the oldest Node and Jest, and the quick start once for each type. */
export function createProjects(folder: string, packed: readonly Packed[]): void {
  const compilers = TYPESCRIPT.map((version) => [`typescript-${version}`, `npm:typescript@${version}`])
  createConsumer(folder, packed, { ...Object.fromEntries(compilers), ...JEST, [NODE_FOLDER]: NODE_PACKAGE })
  for (const type of ['module', 'commonjs'] satisfies PackageType[]) {
    mkdirSync(join(folder, type))
    writeFileSync(join(folder, type, 'package.json'), JSON.stringify({ type }))
    for (const file of globSync('*.ts', { cwd: folder })) cpSync(join(folder, file), join(folder, type, file))
  }
}

const JEST = {
  jest: '^30.0.0',
  'ts-jest': '^29.4.0',
  '@types/jest': '^30.0.0',
  typescript: TYPESCRIPT_OF_JEST,
}

const NODE_FOLDER = 'oldest-node'
const NODE_PACKAGE = `npm:node-${process.platform}-${process.arch}@${MINIMUM_NODE}`

/** The program of the oldest Node. */
export function oldestNode(folder: string): string {
  return join(folder, 'node_modules', NODE_FOLDER, 'bin/node')
}

/**
 * Compiles the Express application of the quick start.
 *
 * @returns the program
 * @throws Error with the output of the compiler where it refuses the program or a declaration of a package
 */
export function compile(folder: string, version: string, { type, options }: ModuleSystem): string {
  const project = join(folder, type)
  const outDir = join(project, `out-${version}-${options.module}`)
  const compilerOptions = { ...COMMON, rootDir: '.', outDir, ...options }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['express.ts'] }))
  run(process.execPath, [join(folder, 'node_modules', `typescript-${version}`, 'bin/tsc'), '-p', project])
  return join(outDir, 'express.js')
}

const COMMON = {
  target: 'es2023',
  types: ['node', 'jest'],
  strict: true,
  skipLibCheck: true,
  esModuleInterop: true,
  isolatedModules: true,
  rewriteRelativeImportExtensions: true,
}

/** The ways of docs/reference/runtimes.md in which Jest loads the packages, with the options of Node. */
export const JEST_WAYS: Readonly<Record<string, readonly string[]>> = {
  'jest.config.json': [],
  'jest.native.json': ['--experimental-vm-modules'],
}

const JEST_TEST = `
import { newSigningKeys } from '@grantkit/core'
import { server } from './server.ts'

test('the server has its endpoints', () => expect(server.routes.length).toBeGreaterThan(5))
test('what core loads later is found too', async () => expect(await newSigningKeys(['ES256'])).toHaveLength(1))
`

/** Runs Jest in the CommonJS project. @throws Error with the output of Jest where a test fails */
export function runJest(folder: string, way: string): void {
  const project = join(folder, 'commonjs')
  const compilerOptions = { ...COMMON, module: 'nodenext', noEmit: true }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  writeFileSync(join(project, 'server.test.ts'), JEST_TEST)
  const config = { ...shownConfig(way), testMatch: ['<rootDir>/*.test.ts'] }
  writeFileSync(join(project, way), JSON.stringify(config))
  const jest = join(folder, 'node_modules/jest/bin/jest.js')
  run(process.execPath, [...(JEST_WAYS[way] ?? []), jest, '--no-cache', '--config', way], project)
}

function shownConfig(name: string): object {
  const shown = fencedBlocks().find(({ info }) => info.includes(`[${name}]`))
  return JSON.parse(shown?.code ?? '')
}
