import { styleText } from 'node:util'
import { CAUTIONS, KNOWN_CLIENTS, type KnownClient } from '@grantkit/known-clients'
import { defineCommand } from 'citty'
import type { LoadService } from '../configured-service.ts'
import { jsonText } from './terminal.ts'

/** Shows the table of known clients, and which of them this configuration lets in. */
export const knownClients = (load: LoadService) =>
  defineCommand({
    meta: {
      description:
        'Known clients such as Claude and Cursor: their addresses, and whether KNOWN_CLIENTS lets them in',
    },
    args: { json: { type: 'boolean', description: 'prints JSON, a line for each' } },
    run: async ({ args }) => {
      const { features } = (await load()).config
      const isOn = ({ id }: KnownClient) => features.knownClients.includes(id)
      const lines = KNOWN_CLIENTS.flatMap((client) =>
        args.json ? [jsonText(record(client, isOn(client)))] : [...linesOf(client, isOn(client)), ''],
      )
      console.log(lines.join('\n').trimEnd())
    },
  })

function record({ documents, ...client }: KnownClient, on: boolean): object {
  return { ...client, documents: documents.map(({ url, seen }) => ({ url, seen })), on }
}

function linesOf({ id, name, host, redirectUris, documents, ...entry }: KnownClient, on: boolean): string[] {
  const { evidence, seen, source, caution } = entry
  const state = on ? styleText('green', 'on ') : 'off'
  return [
    `${id.padEnd(16)}  ${state}  ${styleText('bold', name)}, ${host}`,
    ...redirectUris.map((uri) => `  redirect  ${uri}`),
    ...documents.map(({ url }) => `  document  ${url}`),
    ...(caution === undefined ? [] : [`  caution   ${CAUTIONS[caution]}`]),
    `  seen      ${seen}, ${EVIDENCE[evidence]}: ${source}`,
  ]
}

const EVIDENCE: Readonly<Record<KnownClient['evidence'], string>> = {
  'vendor-page': 'a page of the vendor',
  'vendor-document': 'a document of the vendor',
  'vendor-source': 'source code of the vendor',
  observed: 'requests that servers saw',
}
