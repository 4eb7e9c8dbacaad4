import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type Choices, completed, DEFAULTS, LANGUAGES } from './choices.ts'
import { createProject } from './create-project.ts'

const root = mkdtempSync(join(tmpdir(), 'create-grantkit-'))
afterAll(() => rmSync(root, { recursive: true }))

let folder = ''
let count = 0
beforeEach(() => {
  folder = join(root, `${++count}`, 'My Notes')
})
const read = (file: string) => readFileSync(join(folder, file), 'utf8')
const manifest = () => JSON.parse(read('package.json'))

describe('createProject', () => {
  it('writes nine files, and secrets into .env alone, which only its owner reads', async () => {
    await createProject(folder, { ...DEFAULTS, features: ['openid'] })
    const files = readdirSync(folder)
    expect(files).toHaveLength(9)
    const secret = /^SECRET=(.{43})$/m.exec(read('.env'))?.[1] ?? 'no secret'
    for (const file of files) expect(read(file).includes(secret), file).toBe(file === '.env')
    expect(read('.env')).toMatch(/^KEYS='\[\{"/m)
    expect(statSync(join(folder, '.env')).mode & 0o077).toBe(0)
    expect(read('.gitignore').split('\n')).toContain('.env')
  })

  it('makes other secrets each time', async () => {
    await createProject(folder, DEFAULTS)
    const first = read('.env')
    rmSync(folder, { recursive: true })
    await createProject(folder, DEFAULTS)
    expect(read('.env')).not.toBe(first)
  })

  it('names the package after its folder, and depends on what is chosen, in tested versions', async () => {
    await createProject(folder, { ...DEFAULTS, framework: 'express', store: 'postgres' })
    expect(manifest().name).toBe('my-notes')
    const { dependencies, devDependencies } = manifest()
    expect(Object.keys(dependencies)).toEqual([
      ...['@grantkit/adapter-express', '@grantkit/core', '@grantkit/explain', '@grantkit/known-clients'],
      ...['@grantkit/pages', '@grantkit/safe-fetch', '@grantkit/store-postgres', 'express', 'pg'],
    ])
    expect(Object.keys(devDependencies)).toEqual(['@types/express', '@types/node', 'node', 'typescript'])
    for (const range of Object.values({ ...dependencies, ...devDependencies })) expect(range).toMatch(/^\^\d/)
  })

  it.each(['grantkit', 'own'] as const)(
    'refuses to start with the session of Alice at a public issuer, with %s pages',
    async (pages) => {
      await createProject(folder, { ...DEFAULTS, pages })
      expect(read('interaction.ts')).toContain("  session: sampleSession('alice'),\n")
    },
  )

  it('names its user on the pages', async () => {
    await createProject(folder, DEFAULTS)
    expect(read('interaction.ts')).toContain("pages({ brand, user: async () => ({ name: 'Alice' }) })")
  })

  it('lets known clients in by default', async () => {
    await createProject(folder, DEFAULTS)
    expect(read('server.ts')).toContain('const known = knownClients()')
    rmSync(folder, { recursive: true })
    await createProject(folder, { ...DEFAULTS, features: [] })
    expect(read('server.ts')).not.toContain('knownClients')
  })

  it('writes a Worker with its bindings, which has secrets in .dev.vars and a name for its host', async () => {
    folder = join(folder, '..', 'My_Notes.2')
    const features = ['openid', 'known-clients'] as const
    await createProject(folder, { ...completed({ framework: 'workers' }), features })
    expect(readdirSync(folder)).toHaveLength(10)
    expect(read('wrangler.jsonc')).toContain('"name": "my-notes-2"')
    expect(read('wrangler.jsonc')).toContain('"vars": { "ISSUER": "" }')
    expect(read('.dev.vars')).toMatch(/^SECRET=.{43}\nKEYS='/)
    expect(statSync(join(folder, '.dev.vars')).mode & 0o077).toBe(0)
    expect(read('.gitignore').split('\n')).toContain('.dev.vars')
    expect(read('env.d.ts')).toContain('readonly KEYS: string\n')
    const { scripts, dependencies, devDependencies } = manifest()
    expect(scripts.start).toBe('wrangler dev --var ISSUER:http://127.0.0.1:3000')
    expect(Object.keys(dependencies)).toEqual([
      ...[
        '@grantkit/adapter-hono',
        '@grantkit/core',
        '@grantkit/explain',
        '@grantkit/known-clients',
        '@grantkit/pages',
        '@grantkit/safe-fetch',
        '@grantkit/store-cloudflare',
        'hono',
      ],
    ])
    expect(Object.keys(devDependencies)).toEqual(['@types/node', 'node', 'typescript', 'wrangler'])
  })

  it('adds OpenID Connect to logout, which needs it, with the scope that opens the claim of the sample', async () => {
    await createProject(folder, { ...DEFAULTS, features: ['logout'] })
    const scopes = read('server.ts').match(/(?<=^ {2})\S+(?=: \{$)/gm)
    expect(scopes).toEqual(['openid', 'profile', "'notes:read'"])
    expect(read('server.ts')).toContain('claims: async (subject) => ({ name: subject }),')
  })

  it('takes packages from a folder, by paths from the project', async () => {
    const packages = join(root, 'tarballs')
    mkdirSync(packages, { recursive: true })
    const packed = [
      'adapter-fastify',
      'core-0.1.0',
      'explain',
      'known-clients',
      'safe-fetch',
      'store-memory-0.1.0-rc.1',
    ]
    for (const name of packed) writeFileSync(join(packages, `grantkit-${name}.tgz`), '')
    await expect(createProject(folder, DEFAULTS, { packages })).rejects.toThrow(
      `${packages} has no grantkit-pages.tgz`,
    )
    expect(() => readdirSync(folder)).toThrow('ENOENT')
    writeFileSync(join(packages, 'grantkit-pages.tgz'), '')
    await createProject(folder, DEFAULTS, { packages })
    expect(manifest().dependencies).toMatchObject({
      '@grantkit/core': 'file:../../tarballs/grantkit-core-0.1.0.tgz',
      '@grantkit/store-memory': 'file:../../tarballs/grantkit-store-memory-0.1.0-rc.1.tgz',
      fastify: expect.stringMatching(/^\^/),
    })
  })

  it('refuses a folder with files, and names them', async () => {
    mkdirSync(join(folder, '.git'), { recursive: true })
    writeFileSync(join(folder, 'letter.txt'), 'mine')
    await expect(createProject(folder, DEFAULTS)).rejects.toThrow(
      `${folder} is not empty, it has letter.txt.`,
    )
    expect(readdirSync(folder)).toEqual(['.git', 'letter.txt'])
  })

  it('writes into an empty folder, or one with a Git repository alone', async () => {
    mkdirSync(join(folder, '.git'), { recursive: true })
    await createProject(folder, DEFAULTS)
    expect(readdirSync(folder)).toHaveLength(10)
  })

  it('refuses a file in place of a folder', async () => {
    mkdirSync(join(folder, '..'), { recursive: true })
    writeFileSync(folder, '')
    await expect(createProject(folder, DEFAULTS)).rejects.toThrow(`${folder} is a file`)
  })

  it('writes nothing for choices that exclude each other', async () => {
    const choices: Choices = { ...DEFAULTS, pages: 'own', features: ['device'] }
    await expect(createProject(folder, choices)).rejects.toThrow('device shows pages')
    expect(() => readdirSync(folder)).toThrow('ENOENT')
  })

  it.each(['fastify', 'express', 'hono', 'workers'] as const)(
    'writes an MCP server for %s, which accepts tokens for itself alone, with what brings its requests there',
    async (framework) => {
      await createProject(folder, { app: 'mcp', framework })
      expect(read('server.ts')).toContain("      en: 'Write notes',\n")
      expect(read('server.ts')).toContain('  resource,\n  store,\n')
      expect(read('app.ts')).toContain("'/mcp'")
      expect(read('app.ts')).not.toContain('/notes')
      const { dependencies } = manifest()
      expect(Object.keys(dependencies)).toEqual(
        expect.arrayContaining(['@modelcontextprotocol/server', 'zod']),
      )
      const onNode = framework === 'fastify' || framework === 'express'
      expect('@modelcontextprotocol/node' in dependencies).toBe(onNode)
    },
  )

  it('says of each scope of its own what an app can do with it', async () => {
    await createProject(folder, { app: 'mcp' })
    expect(read('server.ts').match(/(?<=^ {4}access: ').+(?=',)/gm)).toEqual(['read', 'write'])
  })

  it.each([
    ['all, without a choice', {}, LANGUAGES],
    ['the chosen ones', { languages: ['ja', 'de'] }, ['de', 'ja']],
    ['English, on own pages', { pages: 'own' }, ['en']],
  ] as const)('describes its scopes in the languages of its pages: %s', async (_, given, languages) => {
    await createProject(folder, { app: 'mcp', features: ['openid'], ...given })
    const descriptions = [...read('server.ts').matchAll(/ description: \{\n([^}]*)\}/g)].map(([, texts]) =>
      [...`${texts}`.matchAll(/^ +'?([\w-]+)'?: '.+',$/gm)].map(([, language]) => language),
    )
    expect(descriptions).toEqual([languages, languages, languages, languages])
  })

  it('logs why a sign-in failed', async () => {
    await createProject(folder, DEFAULTS)
    expect(read('server.ts')).toContain('  observer: logFailures(console.warn),\n')
  })

  it.each([
    ['fastify', 'PORT=3001 npm start'],
    ['workers', 'npm start -- --port 3001 --var ISSUER:http://127.0.0.1:3001'],
  ] as const)('says how it starts on another port, with the issuer there: %s', async (framework, command) => {
    await createProject(folder, { framework })
    expect(read('README.md')).toContain(`\nAnother port: \`${command}\`.\n`)
  })

  it('brings the Node that its scripts need, and a test', async () => {
    await createProject(folder, DEFAULTS)
    expect(manifest().devDependencies.node).toMatch(/^\^24\.\d+\.0$/)
    expect(manifest().scripts).toMatchObject({ test: 'tsc && node --env-file=.env --test --test-force-exit' })
    expect(read('server.test.ts')).toContain("const path = '/notes'")
  })

  it('writes the name, the color and the languages, whatever is in the name', async () => {
    const name = `Ada's "Notes" \\ <1>`
    await createProject(folder, { ...DEFAULTS, name, accent: '#0f766e', languages: ['de', 'pt-BR'] })
    expect(read('interaction.ts')).toContain(
      `const brand = { name: 'Ada\\'s "Notes" \\\\ <1>', accent: '#0f766e' }\nconst languages = ['de', 'pt-BR'] as const\n`,
    )
    rmSync(folder, { recursive: true })
    await createProject(folder, { ...DEFAULTS, name, pages: 'own' })
    expect(read('interaction.ts')).toContain(`<title>Ada's "Notes" &#92; &#60;1&#62;</title>`)
  })

  it('writes a server with its configuration, its secrets in .env alone, and a manifest', async () => {
    await createProject(folder, { app: 'server', name: 'Notes', store: 'postgres' })
    const files = ['.env', '.gitignore', 'compose.yaml', 'grantkit.config.ts', 'package.json']
    expect(readdirSync(folder)).toEqual(files)
    expect(manifest()).toMatchObject({ scripts: { start: 'grantkit start', test: 'grantkit check' } })
    expect(Object.keys(manifest().dependencies)).toEqual(['@grantkit/server'])
  })

  it('writes an address with a quote as text', async () => {
    await createProject(folder, { app: 'server', url: "https://auth.example/it's" })
    expect(read('grantkit.config.ts')).toContain("  baseUrl: 'https://auth.example/it\\'s',")
  })

  it.each([
    [{ url: 'nonsense' }, '--url must be an https URL'],
    [{ accent: "x'}" }, '--accent must be a color'],
  ])('writes nothing for %j', async (wrong, message) => {
    await expect(createProject(folder, { app: 'server', ...wrong })).rejects.toThrow(message)
    expect(() => readdirSync(folder)).toThrow('ENOENT')
  })

  it('takes what the server needs from a folder too', async () => {
    const packages = join(root, 'all-tarballs')
    mkdirSync(packages, { recursive: true })
    const { dependencies } = JSON.parse(
      readFileSync(new URL('../../server/package.json', import.meta.url), 'utf8'),
    )
    const ours = Object.keys(dependencies).filter((name) => /^@grantkit|^create-grantkit$/.test(name))
    const all = ['@grantkit/server', ...ours].sort()
    for (const name of all)
      writeFileSync(join(packages, `${name.replace('@', '').replace('/', '-')}.tgz`), '')
    await createProject(folder, { app: 'server' }, { packages })
    expect(Object.keys(manifest().dependencies)).toEqual(all)
  })
})
