package io.github.vertxrdma;

import io.github.vertxrdma.provider.contract.OverFabrics;

/** Remote memory over providers of libfabric that behave like those of adapters. */
@OverFabrics(value = AdaptersByLibfabric.EFA, full = AdaptersByLibfabric.CXI)
class AdapterRemoteMemoryTest extends RemoteMemoryTest {
}
