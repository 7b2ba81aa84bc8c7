package io.github.vertxrdma.demo;

import java.util.List;

/**
 * The main program of a demo with three nodes. Without {@code --node} it starts them, each in a process of its own, and shows what they say;
 * with it, it is one of them.
 */
final class NodeDemo {
  static final List<String> NODES = List.of("A", "B", "C");

  private NodeDemo() {
  }

  /** What the command line of each has. */
  interface Arguments {

    /** The one fabric to use, null for the best. */
    String fabric();

    /** Which node this process is, null for the one that starts them. */
    String node();
  }

  interface Parser<A extends Arguments> {
    A parse(String... args) throws UsageException;
  }

  interface AllNodes<A extends Arguments> {
    /** @return the status that the demo ends with */
    int run(A arguments, String[] args) throws Exception;
  }

  interface OneNode<A extends Arguments> {
    void run(A arguments) throws Exception;
  }

  /** Does not return. A wrong command line is one line and status 2; a node that fails says why and ends at once with 1. */
  static <A extends Arguments> void main(String[] args, Parser<A> parser, AllNodes<A> all, OneNode<A> one) throws Exception {
    A arguments;
    try {
      arguments = parser.parse(args);
      if (arguments.node() == null && arguments.fabric() != null) {
        FabricCheck.check(arguments.fabric());
      }
    } catch (UsageException e) {
      System.err.println("demo: " + e.getMessage());
      System.exit(2);
      return;
    }
    if (arguments.node() == null) {
      System.exit(all.run(arguments, args));
    }
    try {
      one.run(arguments);
    } catch (Exception e) {
      DemoNode.failed(e);
    }
    System.exit(0);
  }
}
