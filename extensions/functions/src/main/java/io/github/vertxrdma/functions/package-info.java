/**
 * Remote functions over remote memory, modelled on rFaaS: function servers offer cores, a client leases some of them, and its calls go
 * directly into the memory of the workers.
 */
@ModuleGen(name = "vertx-rdma-functions", groupPackage = "io.github.vertxrdma")
package io.github.vertxrdma.functions;

import io.vertx.codegen.annotations.ModuleGen;
