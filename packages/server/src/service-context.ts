import type { PrivateJwk, ServerSecret } from '@grantkit/core'
import { createWebhooks, WEBHOOK_TYPES, type WebhookEvent, type Webhooks } from '@grantkit/notifications'
import * as z from 'zod'
import type { ExampleProvider } from './accounts/upstream/example-provider.ts'
import { type IsTrustedProxy, trustedProxies } from './config/address.ts'
import type { Config } from './config/config.ts'
import { developmentKeysFile, developmentSecret, followSigningKeys } from './config/signing-keys-file.ts'
import { ConfigError, contentOf, jsonOf } from './config/text-file.ts'
import type { ServiceDefinition } from './definition.ts'
import type { OnEvent } from './events.ts'
import { outboundPost } from './http/outbound.ts'
import type { OnResponse } from './statistics/statistics.ts'
import type { Storage } from './storage.ts'

export interface Observers {
  readonly onEvent: OnEvent
  readonly onError: (error: unknown) => void
  /** Hears what an operator should look at and any caller may cause. Default: nothing hears it. */
  readonly onWarning?: ((warning: string) => void) | undefined
  readonly onResponse?: OnResponse | undefined
}

export interface ServiceParts {
  readonly definition: ServiceDefinition
  readonly config: Config
  readonly observers: Observers
  readonly storage: Omit<Storage, 'close'>
  /** Whether to add the accounts of the configured file and of demonstrations. Default true: a command adds none. */
  readonly addsAccounts?: boolean | undefined
  /** The provider of development, if it is offered. */
  readonly example?: ExampleProvider | undefined
}

/** What all parts of a service share. */
export interface ServiceContext extends Observers {
  readonly onWarning: (warning: string) => void
  readonly onResponse: OnResponse
  readonly definition: ServiceDefinition
  readonly config: Config
  readonly storage: Omit<Storage, 'close'>
  readonly example: ExampleProvider | undefined
  /** Proxies whose header names the caller. `undefined`: no proxy is trusted. */
  readonly trusted: IsTrustedProxy | undefined
  readonly secret: ServerSecret
  readonly keys: () => readonly PrivateJwk[]
  /** Whether this process adds accounts and delivers messages. A command ends too soon: it leaves both to the service. */
  readonly delivers: boolean
  /** Present if a file of endpoints is configured. */
  readonly webhooks: Webhooks | undefined
  /** Resolves when the messages of webhooks about all events so far are stored. */
  readonly settled: () => Promise<void>
}

/** Opens secret and keys. What the storage records hears of all events. @throws Error if a file is invalid */
export async function serviceContext(parts: ServiceParts): Promise<ServiceContext> {
  const { definition, config, storage, observers, addsAccounts: delivers = true } = parts
  const { trail, attempts, statistics } = storage
  const { onError, onWarning = () => {} } = observers
  const keysFile = config.keysFile ?? (await developmentKeysFile(config.dataFolder))
  const recorded: OnEvent = (event) => {
    trail.onEvent(event)
    attempts.onEvent(event)
    statistics.onEvent(event)
    observers.onEvent(event)
  }
  const webhooks = await webhooksOf(parts, recorded)
  return {
    definition,
    config,
    storage,
    example: parts.example,
    trusted: config.trustProxy === undefined ? undefined : trustedProxies(config.trustProxy),
    secret: await secretsOf(config),
    keys: await followSigningKeys(keysFile, config.features.profile, onError, storage.closed),
    delivers,
    onError,
    onWarning,
    onEvent(event) {
      recorded(event)
      webhooks?.onEvent(event)
    },
    webhooks,
    settled: async () => webhooks?.settled(),
    onResponse(response) {
      statistics.onResponse(response)
      observers.onResponse?.(response)
    },
  }
}

/** The secret, and the previous one if it is configured. */
async function secretsOf({ secret, previousSecret, dataFolder }: Config): Promise<ServerSecret> {
  const current = secret ?? (await developmentSecret(dataFolder))
  return previousSecret === undefined ? current : [current, previousSecret]
}

const Endpoints = z.array(
  z.strictObject({
    name: z.string().min(1).max(100),
    url: z.string(),
    secret: z.union([z.string(), z.array(z.string())]),
    types: z.array(z.enum(WEBHOOK_TYPES)).optional(),
  }),
)

/** The webhooks of the configured file, if there is one. @throws ConfigError when it cannot be used */
async function webhooksOf(
  { config, storage: { store }, addsAccounts: timers = true }: ServiceParts,
  onEvent: (event: WebhookEvent) => void,
): Promise<Webhooks | undefined> {
  if (config.webhooks === undefined) return undefined
  const endpoints = await contentOf('WEBHOOKS', config.webhooks, jsonOf(Endpoints, 'list of endpoints'))
  const post = await outboundPost(config)
  try {
    return createWebhooks({ issuer: config.baseUrl, store, endpoints, post, onEvent, timers })
  } catch (error) {
    throw new ConfigError([`WEBHOOKS cannot be used: ${(error as Error).message}`])
  }
}
