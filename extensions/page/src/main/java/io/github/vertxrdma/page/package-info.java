/** The page of a cluster: its nodes, what joins them and how fast, live in a browser. */
@ModuleGen(name = "vertx-rdma-page", groupPackage = "io.github.vertxrdma.page")
package io.github.vertxrdma.page;

import io.vertx.codegen.annotations.ModuleGen;
