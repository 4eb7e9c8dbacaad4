import { z } from 'zod'

const DOCUMENT = /^https:\/\/\S+$/
const LOCAL_HOST = /^(?<name>[\w.-]+)=(?<place>(?:\d+\.){3}\d+:\d+|\[[\da-f:]+\]:\d+)$/i

const listed = (text: string) => text.split(',').map((part) => part.trim())

/** The settings for client ID metadata documents (CIMD). */
export const ClientDocumentSettings = z.object({
  CIMD: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  CIMD_PINNED: z.string().optional(),
  CIMD_ADMIT: z
    .string()
    .transform(listed)
    .refine((ids) => ids.every((id) => DOCUMENT.test(id)), {
      error: 'must be https addresses of documents, separated by commas',
    })
    .default([]),
  CIMD_TEST_CA: z.string().optional(),
  CIMD_TEST_RESOLVE: z
    .string()
    .transform(listed)
    .refine((hosts) => hosts.every((host) => LOCAL_HOST.test(host)), {
      error: 'must be names with an address and a port, app.dev=127.0.0.1:8443, separated by commas',
    })
    .transform((hosts): Record<string, string> => Object.fromEntries(hosts.map((host) => host.split('='))))
    .default({}),
})
