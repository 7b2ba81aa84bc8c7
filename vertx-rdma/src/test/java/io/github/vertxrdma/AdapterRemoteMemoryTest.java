package io.github.vertxrdma;

import io.github.vertxrdma.provider.contract.OverFabrics;

@OverFabrics(value = AdaptersByLibfabric.EFA, full = AdaptersByLibfabric.CXI)
class AdapterRemoteMemoryTest extends RemoteMemoryTest {
}
