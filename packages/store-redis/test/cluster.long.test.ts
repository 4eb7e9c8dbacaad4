import { describeDeployment } from './describe-deployment.ts'
import { startCluster } from './redis-cluster.ts'

describeDeployment('cluster', startCluster)
