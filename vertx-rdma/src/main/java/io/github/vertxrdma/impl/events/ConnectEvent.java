package io.github.vertxrdma.impl.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.github.vertxrdma.Connect")
@Label("Connect")
@Description("An attempt to connect over one fabric, from its start until the connection is open or has failed.")
@Category("vertx-rdma")
@StackTrace(false)
final class ConnectEvent extends Event implements FlightEvents.Attempt {
  @Label("What")
  public String what;
  @Label("Device")
  public String device;
  @Label("Failure")
  public String failure;

  /** Begins the event. */
  static ConnectEvent start() {
    ConnectEvent event = new ConnectEvent();
    event.begin();
    return event;
  }

  @Override
  public void over(String to, String over, Throwable cause) {
    end();
    if (shouldCommit()) {
      what = to;
      device = over;
      failure = cause == null ? null : cause.getMessage();
      commit();
    }
  }
}
