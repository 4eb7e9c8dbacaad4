import { readFileSync } from 'node:fs'

/** A program of docs/clients, and how a reader gets it to run. */
export interface Section {
  /** The library: the heading. */
  readonly library: string
  /** The settings that the service is started with, if it needs any. */
  readonly settings: Readonly<Record<string, string>>
  /** The command line that registers it. */
  readonly register: string
  /** Fetches what the program needs. */
  readonly install: string
  readonly start: string
  /** All that the page says of it. */
  readonly text: string
  /** Name and text of each file. */
  readonly files: readonly (readonly [string, string])[]
}

/** The pages that have programs. */
export const PAGES = ['python', 'go', 'java', 'rust', 'javascript', 'apache'] as const
export type Page = (typeof PAGES)[number]

const FOLDER = new URL('../../../../docs/clients/', import.meta.url)
const FENCE = /^```(?:\w+) \[(?<name>[^\]]+)\]\n(?<text>[\s\S]*?)^```$/gm

/** The programs of a page, one below each heading. @param page its name, without the ending */
export function sectionsOf(page: Page): readonly Section[] {
  const [, ...sections] = readFileSync(new URL(`${page}.md`, FOLDER), 'utf8').split(/^## /m)
  return sections.map(sectionOf)
}

function sectionOf(text: string): Section {
  const fences = [...text.matchAll(FENCE)].map(
    ({ groups = {} }) => [groups.name, groups.text] as [string, string],
  )
  const { service = '', register = '', install = '', start = '', ...files } = Object.fromEntries(fences)
  const library = text.slice(0, text.indexOf('\n'))
  return {
    library,
    settings: settingsOf(service),
    register,
    install,
    start,
    text,
    files: Object.entries(files),
  }
}

/** `NAME=value` in front of a command. */
function settingsOf(command: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...command.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]))
}
