import { startRedisCluster } from '@grantkit/test-servers/redis-cluster'
import { NEVER } from '@grantkit/test-servers/redis-deployment'
import { describeStore } from '@grantkit/testkit'
import { connectToRedis, createRedisStore } from '../src/index.ts'
import { describeDeployment } from './describe-deployment.ts'
import { PATIENT } from './patient.ts'

/** Its keys are on three primaries, so every promise of the store can break here. */
describeStore(
  'redis cluster',
  async () => {
    const cluster = await startRedisCluster(NEVER)
    const redis = await connectToRedis(cluster.url)
    const close = async () => {
      redis.destroy()
      await cluster.close()
    }
    return { store: createRedisStore(redis, PATIENT), close }
  },
  { realTime: true, transients: true },
)

describeDeployment('a cluster', startRedisCluster)
