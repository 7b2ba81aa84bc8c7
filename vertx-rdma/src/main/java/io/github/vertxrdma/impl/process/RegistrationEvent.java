package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.github.vertxrdma.Registration")
@Label("Registration")
@Description("Memory was registered with a device.")
@Category("vertx-rdma")
@StackTrace(false)
final class RegistrationEvent extends Event {
  @Label("Device")
  public String device;
  @Label("Size")
  @DataAmount
  public long size;
  @Label("Failure")
  public String failure;

  static MemoryRegion register(Domain domain, MemorySegment memory, Set<Access> access) {
    RegistrationEvent event = new RegistrationEvent();
    event.begin();
    try {
      return domain.register(memory, access);
    } catch (RuntimeException e) {
      event.failure = e.getMessage();
      throw e;
    } finally {
      event.end();
      if (event.shouldCommit()) {
        event.device = domain.device().name();
        event.size = memory.byteSize();
        event.commit();
      }
    }
  }
}
