import { table } from '../../peers/edge/table.ts'
import { estimate } from '../statistics.ts'
import type { Start } from './measure.ts'

interface Conditions {
  readonly machine: string
  readonly command: string
}

/** All results in Markdown. */
export function report(measured: Start, { machine, command }: Conditions): string {
  return [
    '# Start and size',
    machine,
    `Made by \`${command}\`. [The method](../README.md#start-and-size). Each time is a median; ± is half of the range of the middle half.`,
    '## First answer',
    `From the start of the process to the first answer, of ${processes(Object.values(measured.services))} processes, and their memory after it.`,
    firstAnswers(measured),
    '## Import',
    `Of ${processes(measured.imports.map(({ times }) => times))} processes, without a compile cache; the size is of the entry with all that it imports, in one minified module.`,
    imports(measured),
    '## Memory and disk',
    table(
      ['', 'Size'],
      [
        [
          `a grant with its tokens in the memory store, of ${measured.grants.count.toLocaleString('en')}`,
          `${Math.round(measured.grants.bytes).toLocaleString('en')} bytes`,
        ],
        ['`node_modules` of an installation of `@grantkit/server`', megabytes(measured.installed.all)],
        [
          'the same without types, sources, source maps and documentation',
          megabytes(measured.installed.used),
        ],
      ],
    ),
    'An image is its base image and that: this is not the size of an image, for which no Docker was there.',
    '',
  ].join('\n\n')
}

/** How many processes each row had. */
function processes(rows: readonly (readonly unknown[])[]): number {
  return Math.min(...rows.map(({ length }) => length))
}

function firstAnswers({ services }: Start): string {
  return table(
    ['', 'First answer', 'Memory'],
    Object.entries(services).map(([name, all]) => [
      name,
      milliseconds(all.map(({ milliseconds }) => milliseconds)),
      megabytes(estimate(all.map(({ memory }) => memory)).median),
    ]),
  )
}

function imports({ imports }: Start): string {
  return table(
    ['Entry', 'Import', 'Minified', 'gzip'],
    imports.map(({ entry, times, size }) => [
      `\`${entry}\``,
      milliseconds(times),
      kilobytes(size.minified),
      kilobytes(size.gzip),
    ]),
  )
}

function milliseconds(times: readonly number[]): string {
  const { median, spread } = estimate(times)
  return `${Math.round(median)} ± ${Math.round(median * spread)} ms`
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000).toLocaleString('en')} kB`
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6).toLocaleString('en')} MB`
}
