#pragma once

#include "child.hpp"
#include "options.hpp"
#include "view.hpp"
#include "work_folder.hpp"

#include <map>
#include <string>

namespace shop {

/// The three services as processes, of which one is killed in the middle of the run and started again.
class processes {
public:
    processes(const options& chosen, const work_folder& folder);

    /// Starts orders when the others are there, kills when it is time, and throws when a process has ended by itself.
    void look_after(const totals& sums, const status_board& board, view& screen);
    /// Ends all of them in peace. Throws when one could not.
    void stop();

private:
    void start(const std::string& service);
    [[nodiscard]] bool is_time_to_kill(const totals& sums) const;
    void kill_victim(view& screen);
    void tell_of_return(const status_board& board, view& screen);
    void check_that_all_run();

    options chosen_;
    std::string folder_;
    std::string victim_;    ///< empty when it has been killed, or nobody is to be
    std::string returning_; ///< the one that was killed, until it is back
    std::map<std::string, child> running_;
};

} // namespace shop
