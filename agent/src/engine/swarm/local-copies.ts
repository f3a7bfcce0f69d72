import type { ContainerCounters, ContainerUsage, ProcessRefusals, StoragePlace } from "../../ports.ts";
import { isLive } from "./service-state.ts";
import type { OwnService, SwarmTask } from "./services.ts";

/** Containers of this machine's engine → the service whose copies they are. */
export function serviceByContainer(services: readonly OwnService[]): Map<string, OwnService> {
  return new Map(services.flatMap((own) => own.tasks.map((task) => [containerOf(task), own] as const)));
}

function containerOf({ Status: status }: SwarmTask): string {
  return status.ContainerStatus?.ContainerID ?? "";
}

/** The use of each service that runs; its counters are known where all of its copies are on this machine. */
export function usageOfServices(services: readonly OwnService[], local: readonly ContainerUsage[]): ContainerUsage[] {
  const byContainer = new Map(local.map((usage) => [usage.containerId, usage]));
  return services.flatMap((own) => {
    const live = own.tasks.filter(isLive);
    if (live.length === 0) return [];
    const { app, role } = own.identity;
    const counters = live.map((task) => byContainer.get(containerOf(task))?.counters);
    return {
      containerId: own.id,
      appId: app.id,
      appName: app.name,
      role,
      run: live.map(({ ID }) => ID).join(" "),
      startedAt: new Date(Math.min(...live.map(({ Status }) => Date.parse(Status.Timestamp)))),
      restartCount: 0,
      memoryBytesMax: live.length * (own.service.Spec.TaskTemplate?.Resources?.Limits?.MemoryBytes ?? 0),
      counters: counters.every((each) => each !== undefined) ? sumOf(counters) : undefined,
    };
  });
}

function sumOf(all: readonly ContainerCounters[]): ContainerCounters {
  const sum = (field: keyof ContainerCounters): number => all.reduce((total, each) => total + each[field], 0);
  return {
    cpuMs: sum("cpuMs"),
    memoryBytes: sum("memoryBytes"),
    networkBytesIn: sum("networkBytesIn"),
    networkBytesOut: sum("networkBytesOut"),
  };
}

/** Counts refusals of copies on this machine as their service's; databases stay as they are. */
export function refusalsOfServices(services: Services, local: readonly ProcessRefusals[]): ProcessRefusals[] {
  const sum = (of: readonly ProcessRefusals[]): number => of.reduce((total, { count }) => total + count, 0);
  return groupByService(services, local).map(({ id, first, all }) =>
    Object.assign({}, first, { containerId: id, count: sum(all) }),
  );
}

/** Counts what copies on this machine take of its disk as their service's. */
export function placesOfServices(services: Services, local: readonly StoragePlace[]): StoragePlace[] {
  return groupByService(services, local).map(({ id, first, all }) =>
    Object.assign({}, first, { containerId: id, paths: all.flatMap(({ paths }) => paths) }),
  );
}

type Services = ReadonlyMap<string, OwnService>;

function groupByService<T extends { containerId: string }>(services: Services, local: readonly T[]) {
  const groups = Map.groupBy(local, ({ containerId }) => services.get(containerId)?.id ?? containerId);
  return [...groups].map(([id, all]) => ({ id, first: all[0]!, all }));
}
