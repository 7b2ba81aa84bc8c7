/** Shared classes that need only the JDK. */
module io.github.vertxrdma.base {
  exports io.github.vertxrdma.base;
}
