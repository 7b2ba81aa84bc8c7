/** Web page about the nodes of a cluster and the connections between them. */
@ModuleGen(name = "vertx-rdma-page", groupPackage = "io.github.vertxrdma.page")
package io.github.vertxrdma.page;

import io.vertx.codegen.annotations.ModuleGen;
