import { createWebhooks, WEBHOOK_TYPES, type WebhookEvent, type Webhooks } from '@grantkit/notifications'
import * as z from 'zod'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { contentOf, parseJson } from '../config/text-file.ts'
import { outboundPost } from '../http/outbound.ts'
import type { Storage } from '../storage.ts'

const Endpoints = z.array(
  z.strictObject({
    name: z.string().min(1).max(100),
    url: z.string(),
    secret: z.union([z.string(), z.array(z.string())]),
    types: z.array(z.enum(WEBHOOK_TYPES)).optional(),
  }),
)

interface WebhookParts {
  readonly config: Config
  readonly storage: Pick<Storage, 'store'>
  /** Whether this process delivers messages. */
  readonly delivers: boolean
}

/** The webhooks of the configured file, if there is one. @throws ConfigError when it cannot be used */
export async function webhooksOf(
  { config, storage, delivers }: WebhookParts,
  onEvent: (event: WebhookEvent) => void,
): Promise<Webhooks | undefined> {
  const read = (text: string, path: string) => Endpoints.parse(parseJson(path, text))
  const endpoints = await contentOf('WEBHOOKS', config.webhooks, read, 'endpoints')
  if (endpoints === undefined) return undefined
  const post = await outboundPost(config)
  try {
    const { store } = storage
    return createWebhooks({ issuer: config.baseUrl, store, endpoints, post, onEvent, timers: delivers })
  } catch (error) {
    throw new ConfigError([`WEBHOOKS cannot be used: ${(error as Error).message}`])
  }
}
