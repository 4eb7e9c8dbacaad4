import { z } from 'zod'
import type { ClientMetadataMembers, RegisteredBy } from '../clients/client-metadata.ts'
import { listOf, text } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import { canonicalResource } from '../kernel/resource-indicator.ts'

const MEMBER = 'token_exchange_resources'

/** The resources that an integration is. The operator alone says so: otherwise anybody could use the tokens of others. */
export function exchangeableResourcesMetadata(
  { resources }: Kernel,
  registeredBy: RegisteredBy,
): ClientMetadataMembers {
  if (registeredBy === 'client') return {}
  const resource = text(2048)
    .transform(canonicalResource)
    .refine((value) => resources.includes(value), 'must be resources of this server')
  return { [MEMBER]: listOf(resource, 20).optional() }
}

/** The resources whose tokens this client may exchange though others hold them. Without a secret, anybody could be it. */
export function exchangeableResources({
  featureMetadata,
  tokenEndpointAuthMethod,
}: Client): readonly string[] {
  if (tokenEndpointAuthMethod === 'none') return []
  return z.array(z.string()).safeParse(featureMetadata?.[MEMBER]).data ?? []
}
