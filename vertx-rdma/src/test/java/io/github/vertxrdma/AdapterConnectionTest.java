package io.github.vertxrdma;

import io.github.vertxrdma.provider.contract.OverFabrics;

/** Connections over providers of libfabric that behave like those of adapters. */
@OverFabrics(value = AdaptersByLibfabric.EFA, full = AdaptersByLibfabric.CXI)
class AdapterConnectionTest extends ConnectionTest {
}
