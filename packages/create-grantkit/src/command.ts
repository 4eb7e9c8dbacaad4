import { defineCommand } from 'citty'
import { askChoices, askFolder, DEFAULT_FOLDER } from './ask.ts'
import { completed, DEFAULTS, FEATURES, FRAMEWORKS, namesOf, PAGES, STORES } from './choices.ts'
import { checkEmpty, createProject } from './create-project.ts'
import { installation } from './installation.ts'
import { ChoiceError, readChoices, unknownValue } from './read-choices.ts'

const among = (choices: object) => namesOf(choices as Record<string, unknown>).join(', ')

const args = {
  folder: { type: 'positional', description: 'the new folder', required: false },
  framework: { type: 'string', description: among(FRAMEWORKS) },
  store: { type: 'string', description: among(STORES) },
  pages: { type: 'string', description: among(PAGES) },
  features: { type: 'string', description: `${among(FEATURES)}; with commas; or all, or none` },
  packages: { type: 'string', description: 'a folder with tarballs of the packages' },
  yes: { type: 'boolean', description: 'asks nothing: what is not given is the default' },
} as const

/** `npm create grantkit`. It throws a `ChoiceError`, and has written nothing, if it cannot do what the arguments say. */
export const command = defineCommand({
  meta: { name: 'create-grantkit', description: 'Writes an authorization server that starts.' },
  args,
  run: async ({ args: typed }) => {
    checkArguments(typed)
    await create(typed)
  },
})

interface Typed {
  readonly folder?: string | undefined
  readonly framework?: string | undefined
  readonly store?: string | undefined
  readonly pages?: string | undefined
  readonly features?: string | undefined
  readonly packages?: string | undefined
  readonly yes?: boolean | undefined
}

async function create(typed: Typed): Promise<void> {
  const given = readChoices(typed)
  if (typed.folder !== undefined) checkEmpty(typed.folder)
  const isOpen = typed.folder === undefined || namesOf(DEFAULTS).some((name) => given[name] === undefined)
  const asks = isOpen && !typed.yes
  if (asks && !process.stdin.isTTY) throw new ChoiceError('There is no terminal to ask in: say --yes.')
  const folder = typed.folder ?? (asks ? await askFolder(checkEmpty) : DEFAULT_FOLDER)
  const choices = asks ? await askChoices(given) : completed(given)
  await createProject(folder, choices, { packages: typed.packages })
  console.log(`\n${folder} is written. Every visitor is Alice, at a loopback address only, until interaction.ts has your session.\n
cd ${folder}\n${installation(typed.packages === undefined ? 'registry' : 'tarballs')}\nnpm start`)
}

/** citty takes every option, and any number of folders. */
function checkArguments({ _: folders, ...options }: { readonly _: readonly string[] }): void {
  const known = Object.keys(args).map((name) => `--${name}`)
  const unknown = Object.keys(options).find((name) => !(name in args))
  if (unknown !== undefined) throw new ChoiceError(unknownValue(`--${unknown}`, known))
  if (folders.length > 1) throw new ChoiceError(`Name one folder, not ${folders.join(' and ')}.`)
}
