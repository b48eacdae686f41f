using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>
    /// Routes a frame from the server to its tool, on the thread that the tool needs, and the tool's outcome
    /// back into a frame. Routing itself never waits.
    /// </summary>
    internal sealed class CommandRouter
    {
        /// <summary>The longest wait for the main thread, in milliseconds.</summary>
        public const long MaxWaitMs = 10000;

        /// <summary>Least time between sending the answer and the end of the caller's own time.</summary>
        public const long MinMarginMs = 500;

        private readonly IReadOnlyDictionary<string, ITool> _tools;
        private readonly IReadOnlyDictionary<string, Action<IncomingFrame>> _routes;
        private readonly IReadOnlyDictionary<string, Action<IncomingFrame>> _notices;
        private readonly JobRunners _jobs;
        private readonly RequestMemory _memory;
        private readonly MainThreadDispatcher _dispatcher;
        private readonly BridgeWorker _worker;
        private readonly IBridgeLog _log;
        private readonly Func<long> _nowMs;

        public CommandRouter(
            IEnumerable<ITool> tools,
            JobRunners jobs,
            RequestMemory memory,
            MainThreadDispatcher dispatcher,
            BridgeWorker worker,
            IBridgeLog log,
            Func<long> nowMs)
        {
            _tools = tools.ToDictionary(tool => tool.Name);
            _jobs = jobs;
            _memory = memory;
            _dispatcher = dispatcher;
            _worker = worker;
            _log = log;
            _nowMs = nowMs;
            _routes = new Dictionary<string, Action<IncomingFrame>>
            {
                ["execute"] = Execute,
                ["submit_job"] = SubmitJob,
                ["get_job_status"] = TellJob,
                ["cancel"] = CancelJob,
            };
            _notices = new Dictionary<string, Action<IncomingFrame>>
            {
                // The server's last frame of accepting a connection: from here on it listens.
                ["capability"] = _ => Announce(_jobs.Unconfirmed()),
                ["job_confirmed"] = frame => _jobs.Confirm(frame.Text("job_id") ?? ""),
            };
        }

        /// <summary>Report jobs to the server without a request.</summary>
        public void Announce(IEnumerable<Func<JObject>> jobs)
        {
            foreach (var job in jobs)
            {
                _worker.Answer(() => WireFrames.JobStatus(null, job()));
            }
        }

        /// <summary>Runs a frame's command: every command with a request id gets an answer.</summary>
        public void Route(IncomingFrame frame)
        {
            if (_notices.TryGetValue(frame.Type, out var notice))
            {
                notice(frame);
            }
            else if (!_routes.TryGetValue(frame.Type, out var route))
            {
                Refuse(frame, ToolFailure.InvalidRequest, $"There is no message type {Shortened(frame.Type)}.");
            }
            else if (string.IsNullOrEmpty(frame.RequestId))
            {
                Refuse(frame, ToolFailure.InvalidRequest, $"{frame.Type} has no request_id.");
            }
            else
            {
                _worker.Took(frame.RequestId);
                route(frame);
            }
        }

        /// <summary>
        /// How long a command may wait for the main thread, so that its answer still reaches its caller.
        /// </summary>
        public static long WaitMs(long timeoutMs)
        {
            // If the main thread was blocked for seconds, the answer is slow, too.
            var margin = Math.Min(Math.Max(MinMarginMs, timeoutMs / 5), timeoutMs / 2);
            return timeoutMs <= 0 ? MaxWaitMs : Math.Min(timeoutMs - margin, MaxWaitMs);
        }

        private void Execute(IncomingFrame frame)
        {
            if (!_tools.TryGetValue(frame.ToolName, out var tool))
            {
                Refuse(frame, ToolFailure.UnknownCommand, $"This plugin has no tool {Shortened(frame.ToolName)}; a newer one may.");
                return;
            }

            var run = Prepared(tool.Name, () => tool.Prepare(frame.Params));
            if (tool.NeedsMainThread)
            {
                var once = Once(frame, tool.ChangesThings, run, outcome => ToFrame(frame, outcome));
                OnMainThread(frame, tool.Name, once);
            }
            else
            {
                OnWorker(frame, tool.Name, () => ToFrame(frame, run()));
            }
        }

        private void SubmitJob(IncomingFrame frame)
        {
            var jobs = _jobs.Of(frame.ToolName);
            if (jobs == null)
            {
                Refuse(frame, ToolFailure.UnknownCommand, $"This plugin has no job {Shortened(frame.ToolName)}; a newer one may.");
                return;
            }

            // A named request may be a repetition: only the main thread knows.
            var joined = string.IsNullOrEmpty(frame.ClientRequestId) ? jobs.Join() : null;
            if (joined != null)
            {
                OnWorker(frame, jobs.ToolName, () => Submitted(frame, joined));
                return;
            }

            var submit = Prepared(jobs.ToolName, () => jobs.Submit(frame.Params));

            // A job that was not accepted never started: there is no job to ask about.
            var once = Once(frame, true, submit, outcome => Submitted(frame, outcome));
            OnMainThread(frame, jobs.ToolName, once, jobs.LongestWaitMs);
        }

        /// <summary>
        /// Run something on the main thread, unless the same request of a client already ran: then repeat its
        /// answer. Only the main thread runs commands, so nothing comes between.
        /// </summary>
        private Func<Func<JObject>> Once(
            IncomingFrame frame, bool changesThings, Func<ToolOutcome> run, Func<ToolOutcome, JObject> toFrame)
        {
            var name = changesThings ? frame.ClientRequestId : null;
            if (string.IsNullOrEmpty(name))
            {
                return () =>
                {
                    var outcome = run();
                    return () => toFrame(outcome);
                };
            }

            var asked = Asked(frame);
            return () =>
            {
                var known = _memory.Find(name);
                if (known != null)
                {
                    return () => Again(frame, asked, known);
                }

                var outcome = run();
                if (outcome.Failure != null && outcome.Failure.Code != ToolFailure.Unexpected)
                {
                    // Nothing was changed, so the request may run again.
                    return () => toFrame(outcome);
                }

                var remembered = _memory.Add(name, asked);
                return () =>
                {
                    var answer = toFrame(outcome);
                    remembered.Answer = answer.ToString(Formatting.None);
                    return answer;
                };
            };
        }

        private static JObject Again(IncomingFrame frame, string asked, Remembered known)
        {
            if (known.Asked != asked)
            {
                return WireFrames.Error(frame.RequestId, new ToolFailure(
                    ToolFailure.DuplicateRequest, "That client_request_id was another request's. Use a new one."));
            }

            if (known.Answer == null)
            {
                return WireFrames.FailedResult(frame.RequestId, new ToolFailure(
                    ToolFailure.Unexpected, "It was done before, and what came of it is lost. Look at the Editor's state."));
            }

            var answer = StrictJson.Parse(known.Answer);
            answer["request_id"] = frame.RequestId;
            return answer;
        }

        /// <summary>The content of a request, independent of the order of its parameters.</summary>
        private static string Asked(IncomingFrame frame) => string.Join(" ", frame.Params.Properties()
            .OrderBy(each => each.Name, StringComparer.Ordinal)
            .Select(each => each.ToString(Formatting.None))
            .Prepend(frame.ToolName));

        private void TellJob(IncomingFrame frame)
        {
            var jobId = frame.Text("job_id") ?? "";
            OnWorker(frame, "get_job_status", () =>
            {
                var job = _jobs.Status(jobId);
                return job == null ? NoSuchJob(frame, jobId) : WireFrames.JobStatus(frame.RequestId, job);
            });
        }

        private void CancelJob(IncomingFrame frame)
        {
            var jobId = frame.Text("target_job_id") ?? "";
            var cancel = Prepared("cancel_job", () => () =>
            {
                var status = _jobs.Cancel(jobId);
                return ToolOutcome.Ok(() => status == null
                    ? NoSuchJob(frame, jobId)
                    : WireFrames.CancelResult(frame.RequestId, status));
            });
            OnMainThread(frame, "cancel_job", () =>
            {
                var outcome = cancel();
                return () => outcome.Failure == null ? outcome.Result() : WireFrames.Error(frame.RequestId, outcome.Failure);
            });
        }

        private void OnMainThread(IncomingFrame frame, string name, Func<Func<JObject>> run, long longestWaitMs = MaxWaitMs)
        {
            var deadline = _nowMs() + Math.Min(WaitMs(frame.TimeoutMs), longestWaitMs);
            var refused = _dispatcher.Post(new MainThreadCommand(frame.RequestId, name, deadline, run));
            if (refused != null)
            {
                _worker.Answer(() => WireFrames.Error(frame.RequestId, refused));
                return;
            }

            _worker.Wake();
        }

        private void OnWorker(IncomingFrame frame, string name, Func<JObject> run)
        {
            var refused = _worker.Post(new WorkerCommand(frame.RequestId, name, run));
            if (refused != null)
            {
                _worker.Answer(() => WireFrames.Error(frame.RequestId, refused));
            }
        }

        /// <summary>The tool's prepared work; an exception, now or later, becomes an outcome.</summary>
        private Func<ToolOutcome> Prepared(string name, Func<Func<ToolOutcome>> prepare)
        {
            try
            {
                var run = prepare();
                return () =>
                {
                    try
                    {
                        return run();
                    }
                    catch (Exception failure) when (!(failure is ThreadAbortException))
                    {
                        return Unexpected(name, failure);
                    }
                };
            }
            catch (Exception failure) when (!(failure is ThreadAbortException))
            {
                var outcome = Unexpected(name, failure);
                return () => outcome;
            }
        }

        private ToolOutcome Unexpected(string name, Exception failure)
        {
            _log.Warning($"{name} failed unexpectedly: {failure}");
            return ToolOutcome.Failed(
                ToolFailure.Unexpected,
                $"{failure.GetType().Name}: {Shortened(failure.Message)}. The Editor's console has the stack trace.");
        }

        private static JObject Submitted(IncomingFrame frame, ToolOutcome outcome) => outcome.Failure == null
            ? WireFrames.SubmitJobResult(frame.RequestId, (string)outcome.Result()["job_id"])
            : WireFrames.Error(frame.RequestId, outcome.Failure);

        private void Refuse(IncomingFrame frame, string code, string message) =>
            _worker.Answer(() => WireFrames.Error(frame.RequestId, new ToolFailure(code, message)));

        private static JObject ToFrame(IncomingFrame frame, ToolOutcome outcome) =>
            outcome.Failure == null ? WireFrames.Result(frame.RequestId, outcome.Result())
            : outcome.Started ? WireFrames.FailedResult(frame.RequestId, outcome.Failure)
            : WireFrames.Error(frame.RequestId, outcome.Failure);

        private static JObject NoSuchJob(IncomingFrame frame, string jobId) => WireFrames.Error(
            frame.RequestId,
            new ToolFailure(ToolFailure.JobNotFound, $"The Editor knows no job {Shortened(jobId)}."));

        private static string Shortened(string text) => text.Length <= 80 ? text : text.Substring(0, 80) + "…";
    }
}
