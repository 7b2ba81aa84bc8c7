/**
 * Remote functions over remote memory, modelled on rFaaS: servers lease workers to clients, which write calls directly into the workers'
 * memory.
 */
@ModuleGen(name = "vertx-rdma-functions", groupPackage = "io.github.vertxrdma")
package io.github.vertxrdma.functions;

import io.vertx.codegen.annotations.ModuleGen;
