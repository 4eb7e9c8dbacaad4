import { createDurableStore, type RecordsNamespace } from '@grantkit/store-cloudflare/durable-objects'
import { grantkitOver, workerOf } from './grantkit.ts'

export { GrantkitRecords } from '@grantkit/store-cloudflare/durable-objects'

export default workerOf<{ RECORDS: RecordsNamespace }>(({ RECORDS }, origin) =>
  grantkitOver(createDurableStore(RECORDS), origin),
)
