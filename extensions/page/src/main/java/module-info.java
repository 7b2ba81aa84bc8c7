module io.github.vertxrdma.page {
  requires transitive io.github.vertxrdma;
  requires transitive io.vertx.web;
  requires static io.vertx.codegen.api;
  requires static io.vertx.codegen.json;
  requires io.vertx.core.logging;

  exports io.github.vertxrdma.page;
  exports io.github.vertxrdma.page.impl to io.github.vertxrdma.cli;
}
