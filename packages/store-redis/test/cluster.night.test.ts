import { startRedisCluster } from '@grantkit/test-servers/redis-cluster'
import { describeStore } from '@grantkit/testkit'
import { connectToRedis, createRedisStore } from '../src/index.ts'
import { describeDeployment } from './describe-deployment.ts'

/** Its keys are on three primaries, so every promise of the store can break here. */
describeStore(
  'redis cluster',
  async () => {
    const cluster = await startRedisCluster()
    const redis = await connectToRedis(cluster.url)
    const close = async () => {
      redis.destroy()
      await cluster.close()
    }
    return { store: createRedisStore(redis), close }
  },
  { realTime: true, transients: true },
)

describeDeployment('a cluster', startRedisCluster)
