/** Services and remotely usable regions of all nodes: what nodes tell each other, and the directories that carry it. */
@ModuleGen(name = "vertx-rdma-directory", groupPackage = "io.github.vertxrdma")
package io.github.vertxrdma.directory;

import io.vertx.codegen.annotations.ModuleGen;
