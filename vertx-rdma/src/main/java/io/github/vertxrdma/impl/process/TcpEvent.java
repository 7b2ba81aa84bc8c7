package io.github.vertxrdma.impl.process;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.github.vertxrdma.Tcp")
@Label("TCP")
@Description("A connection of the event bus or of a stream to a peer used TCP.")
@Category("vertx-rdma")
@StackTrace(false)
final class TcpEvent extends Event {
  @Label("Node")
  public String node;
  @Label("Name")
  public String name;
  @Label("Address")
  public String address;
  @Label("Reason")
  @Description("As in metrics.")
  public String reason;
  @Label("Why")
  public String why;

  static void record(String node, String name, String address, String reason, String why) {
    TcpEvent event = new TcpEvent();
    if (event.shouldCommit()) {
      event.node = node;
      event.name = name;
      event.address = address;
      event.reason = reason;
      event.why = why;
      event.commit();
    }
  }
}
