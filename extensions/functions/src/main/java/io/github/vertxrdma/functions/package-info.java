/** Remote functions, modelled on rFaaS: clients lease workers from servers, and write calls into the workers' memory. */
@ModuleGen(name = "vertx-rdma-functions", groupPackage = "io.github.vertxrdma")
package io.github.vertxrdma.functions;

import io.vertx.codegen.annotations.ModuleGen;
