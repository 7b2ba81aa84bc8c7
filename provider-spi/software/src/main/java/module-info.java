/** Base of providers without hardware. */
module io.github.vertxrdma.provider.software {
  requires transitive io.github.vertxrdma.provider;

  exports io.github.vertxrdma.provider.software;
}
