package io.github.vertxrdma.impl.process;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.github.vertxrdma.NodeEnd")
@Label("Node End")
@Description("A connected node ended, or was lost.")
@Category("vertx-rdma")
@StackTrace(false)
final class NodeEndEvent extends Event {
  @Label("Node")
  public String node;
  @Label("Name")
  public String name;
  @Label("Orderly")
  @Description("The node sent a good-bye.")
  public boolean orderly;
  @Label("Certain")
  @Description("The process of the node has ended. Otherwise it was silent, or could not be reached, for too long.")
  public boolean certain;
  @Label("Cause")
  public String cause;

  static void record(String node, String name, boolean orderly, boolean certain, String cause) {
    NodeEndEvent event = new NodeEndEvent();
    if (event.shouldCommit()) {
      event.node = node;
      event.name = name;
      event.orderly = orderly;
      event.certain = certain;
      event.cause = cause;
      event.commit();
    }
  }
}
