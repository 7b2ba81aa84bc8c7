package io.github.vertxrdma.provider.devices.mutant;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import java.util.function.ToIntFunction;

class Mutant extends ForwardingDevice {

  Mutant() {
    super(InMemoryFabric.create("mutant", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).device(), "mutant");
  }

  static Device endpoints(EndpointMaker maker) {
    return new Mutant() {
      @Override
      public Domain open() {
        return new ForwardingDomain(this, raw().open()) {
          @Override
          protected ForwardingEndpoint newEndpoint(ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
            return maker.make(this, queue, options, handler);
          }
        };
      }
    };
  }

  interface EndpointMaker {
    ForwardingEndpoint make(ForwardingDomain domain, ForwardingQueue queue, EndpointOptions options, EndpointHandler handler);
  }

  static Device posts(PostChange change) {
    return endpoints((domain, queue, options, handler) -> new Spoiled(domain, queue, options, handler) {
      @Override
      public int post(WorkRequest request) {
        return change.post(request, super::post);
      }
    });
  }

  interface PostChange {
    int post(WorkRequest request, ToIntFunction<WorkRequest> post);
  }

  static Device completions(BatchChange change) {
    return new Mutant() {
      @Override
      public Domain open() {
        return new ForwardingDomain(this, raw().open()) {
          @Override
          protected ForwardingQueue newQueue(CompletionQueue behind) {
            return new ForwardingQueue(behind) {
              @Override
              public int poll(CompletionBatch batch) {
                super.poll(batch);
                change.apply(batch);
                return batch.size();
              }
            };
          }
        };
      }
    };
  }

  interface BatchChange {
    void apply(CompletionBatch batch);
  }

  static class Spoiled extends ForwardingEndpoint {
    Spoiled(ForwardingDomain domain, ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
      super(domain, queue, options, handler);
    }
  }
}
