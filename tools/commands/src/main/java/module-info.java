/** The commands of {@code rdma} with their options: what a command line may say, without what it does. */
module io.github.vertxrdma.commands {
  requires info.picocli;

  exports io.github.vertxrdma.commands;

  opens io.github.vertxrdma.commands to info.picocli;
}
