import { createD1Store, type Database } from '@grantkit/store-cloudflare/d1'
import { grantkitOver, workerOf } from './grantkit.ts'

export default workerOf<{ DB: Database }>(({ DB }, origin) => grantkitOver(createD1Store(DB), origin))
